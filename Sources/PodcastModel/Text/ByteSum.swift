/// Sums of sizes in bytes.
///
/// Sparse files may claim any size, so a sum stops at the largest number instead of overflowing.
@usableFromInline package enum ByteSum {
  /// The sum, or the largest number if the sum is larger. Unknown sizes count as zero.
  @inlinable package static func of(_ sizes: some Sequence<Int64?>) -> Int64 {
    sizes.reduce(Int64(0)) { sum, size in
      let (next, overflow) = sum.addingReportingOverflow(max(0, size ?? 0))
      return overflow ? .max : next
    }
  }
}
