enum TestSupport {}
