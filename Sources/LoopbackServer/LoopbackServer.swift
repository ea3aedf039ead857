enum LoopbackServer {}
