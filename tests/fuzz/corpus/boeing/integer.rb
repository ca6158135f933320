A matrix of order 3                                                     three   
             3             1             1             1
isa                       3             3             5             0
(4I4)           (5I3)           (5I4)
   1   3   5   6
  1  2  2  3  3
   2  -1   3   7  +4
