A matrix of order 3                                                     three   
             3             1             1             1
rsa                       3             3             5             0
(4I4)           (5I3)           (3E10.2)            
   1   3   5   6
  1  2  2  3  3
  2.00E+00 -1.00E+00  3.00E+00
  5.00E-0