# What doxygen reads of a header: what the language says by itself (moves, comparisons of all members, destructors) has a comment there.
# SPDX-License-Identifier: BSD-3-Clause
s|^ *[A-Za-z]*([A-Za-z]*&&) noexcept;$|&  ///< Moves.|
s|^ *[A-Za-z]*& operator=([A-Za-z]*&&) noexcept;$|&  ///< Moves.|
s|^ *~[A-Za-z]*();$|&  ///< Gives back what it holds.|
s|^ .*bool operator==(.*) .*= default;$|&  ///< Of all members.|
# Of a template's member template defined outside its class doxygen 1.9 finds the declaration by the return type as it is written there.
s|^LLT<MatrixType_, UpLo_, Ordering_>& LLT<MatrixType_, UpLo_, Ordering_>::|LLT\& LLT<MatrixType_, UpLo_, Ordering_>::|
