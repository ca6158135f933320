A matrix of order 3                                                     three   
             3             1             1             1
rsa                       3             3             5             0
(3I1)           (2I2)           (1P,2D7.1)
135
6
 1 2
 2 3
 3
2.0D+00-1.D+00
3.0+000     5
  4.E+0