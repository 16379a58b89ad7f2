;; The inner loop of audio/resampler.ts: a polyphase FIR on 16-bit samples, eight products at a time for each of four
;; output samples. One page of samples, then the filters. Coefficients are in Q14; samples, sums and results are integers.
(module
  (memory (export "memory") 25)
  ;; Writes one output sample for every position from `at` and `phase` on that lies within `length` input samples;
  ;; returns the address behind the last one. `window` holds taps - 1 older samples before the input's first.
  ;; Output is written by fours: up to three samples behind the last one are overwritten.
  (func (export "convolve")
    (param $window i32) (param $length i32) (param $output i32)
    (param $filter i32) (param $taps i32) (param $phases i32)
    (param $up i32) (param $wholeStep i32) (param $phaseStep i32)
    (param $at i32) (param $phase i32)
    (result i32)
    (local $rowBytes i32) (local $tap i32) (local $end i32)
    (local $row0 i32) (local $row1 i32) (local $row2 i32) (local $row3 i32)
    (local $sample0 i32) (local $sample1 i32) (local $sample2 i32) (local $sample3 i32)
    (local $sum0 v128) (local $sum1 v128) (local $sum2 v128) (local $sum3 v128)
    (local.set $rowBytes (i32.shl (local.get $taps) (i32.const 1)))
    (local.set $end (local.get $output))
    (block $done
      (loop $outputs
        (br_if $done (i32.ge_s (local.get $at) (local.get $length)))
        ;; Four times: the row of the filter, which is the phase itself or the nearest of fewer rows, and the first
        ;; sample under it; one more output if it lies within the input; on to the next output.
        (if (i32.eq (local.get $phases) (local.get $up))
          (then (local.set $row0 (local.get $phase)))
          (else (local.set $row0
            (i32.div_u
              (i32.add (i32.mul (local.get $phase) (local.get $phases)) (i32.shr_u (local.get $up) (i32.const 1)))
              (local.get $up)))))
        (local.set $row0 (i32.add (local.get $filter) (i32.mul (local.get $row0) (local.get $rowBytes))))
        (local.set $sample0 (i32.add (local.get $window) (i32.shl (local.get $at) (i32.const 1))))
        (local.set $end (i32.add (local.get $end) (i32.shl (i32.lt_s (local.get $at) (local.get $length)) (i32.const 1))))
        (local.set $at (i32.add (local.get $at) (local.get $wholeStep)))
        (local.set $phase (i32.add (local.get $phase) (local.get $phaseStep)))
        (if (i32.ge_s (local.get $phase) (local.get $up))
          (then
            (local.set $phase (i32.sub (local.get $phase) (local.get $up)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))))
        (if (i32.eq (local.get $phases) (local.get $up))
          (then (local.set $row1 (local.get $phase)))
          (else (local.set $row1
            (i32.div_u
              (i32.add (i32.mul (local.get $phase) (local.get $phases)) (i32.shr_u (local.get $up) (i32.const 1)))
              (local.get $up)))))
        (local.set $row1 (i32.add (local.get $filter) (i32.mul (local.get $row1) (local.get $rowBytes))))
        (local.set $sample1 (i32.add (local.get $window) (i32.shl (local.get $at) (i32.const 1))))
        (local.set $end (i32.add (local.get $end) (i32.shl (i32.lt_s (local.get $at) (local.get $length)) (i32.const 1))))
        (local.set $at (i32.add (local.get $at) (local.get $wholeStep)))
        (local.set $phase (i32.add (local.get $phase) (local.get $phaseStep)))
        (if (i32.ge_s (local.get $phase) (local.get $up))
          (then
            (local.set $phase (i32.sub (local.get $phase) (local.get $up)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))))
        (if (i32.eq (local.get $phases) (local.get $up))
          (then (local.set $row2 (local.get $phase)))
          (else (local.set $row2
            (i32.div_u
              (i32.add (i32.mul (local.get $phase) (local.get $phases)) (i32.shr_u (local.get $up) (i32.const 1)))
              (local.get $up)))))
        (local.set $row2 (i32.add (local.get $filter) (i32.mul (local.get $row2) (local.get $rowBytes))))
        (local.set $sample2 (i32.add (local.get $window) (i32.shl (local.get $at) (i32.const 1))))
        (local.set $end (i32.add (local.get $end) (i32.shl (i32.lt_s (local.get $at) (local.get $length)) (i32.const 1))))
        (local.set $at (i32.add (local.get $at) (local.get $wholeStep)))
        (local.set $phase (i32.add (local.get $phase) (local.get $phaseStep)))
        (if (i32.ge_s (local.get $phase) (local.get $up))
          (then
            (local.set $phase (i32.sub (local.get $phase) (local.get $up)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))))
        (if (i32.eq (local.get $phases) (local.get $up))
          (then (local.set $row3 (local.get $phase)))
          (else (local.set $row3
            (i32.div_u
              (i32.add (i32.mul (local.get $phase) (local.get $phases)) (i32.shr_u (local.get $up) (i32.const 1)))
              (local.get $up)))))
        (local.set $row3 (i32.add (local.get $filter) (i32.mul (local.get $row3) (local.get $rowBytes))))
        (local.set $sample3 (i32.add (local.get $window) (i32.shl (local.get $at) (i32.const 1))))
        (local.set $end (i32.add (local.get $end) (i32.shl (i32.lt_s (local.get $at) (local.get $length)) (i32.const 1))))
        (local.set $at (i32.add (local.get $at) (local.get $wholeStep)))
        (local.set $phase (i32.add (local.get $phase) (local.get $phaseStep)))
        (if (i32.ge_s (local.get $phase) (local.get $up))
          (then
            (local.set $phase (i32.sub (local.get $phase) (local.get $up)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))))
        (local.set $sum0 (v128.const i32x4 0 0 0 0))
        (local.set $sum1 (v128.const i32x4 0 0 0 0))
        (local.set $sum2 (v128.const i32x4 0 0 0 0))
        (local.set $sum3 (v128.const i32x4 0 0 0 0))
        (local.set $tap (i32.const 0))
        (loop $products
          (local.set $sum0 (i32x4.add (local.get $sum0)
            (i32x4.dot_i16x8_s
              (v128.load align=2 (i32.add (local.get $row0) (local.get $tap)))
              (v128.load align=2 (i32.add (local.get $sample0) (local.get $tap))))))
          (local.set $sum1 (i32x4.add (local.get $sum1)
            (i32x4.dot_i16x8_s
              (v128.load align=2 (i32.add (local.get $row1) (local.get $tap)))
              (v128.load align=2 (i32.add (local.get $sample1) (local.get $tap))))))
          (local.set $sum2 (i32x4.add (local.get $sum2)
            (i32x4.dot_i16x8_s
              (v128.load align=2 (i32.add (local.get $row2) (local.get $tap)))
              (v128.load align=2 (i32.add (local.get $sample2) (local.get $tap))))))
          (local.set $sum3 (i32x4.add (local.get $sum3)
            (i32x4.dot_i16x8_s
              (v128.load align=2 (i32.add (local.get $row3) (local.get $tap)))
              (v128.load align=2 (i32.add (local.get $sample3) (local.get $tap))))))
          (local.set $tap (i32.add (local.get $tap) (i32.const 16)))
          (br_if $products (i32.lt_u (local.get $tap) (local.get $rowBytes))))
        ;; Each sum's four lanes become one: 0 and 1 side by side, 2 and 3 side by side, then all four.
        (local.set $sum0 (i32x4.add
          (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $sum0) (local.get $sum1))
          (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $sum0) (local.get $sum1))))
        (local.set $sum2 (i32x4.add
          (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $sum2) (local.get $sum3))
          (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $sum2) (local.get $sum3))))
        (local.set $sum0 (i32x4.add
          (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $sum0) (local.get $sum2))
          (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $sum0) (local.get $sum2))))
        ;; Out of fixed point, rounded and saturated.
        (local.set $sum0 (i32x4.shr_s (i32x4.add (local.get $sum0) (v128.const i32x4 8192 8192 8192 8192)) (i32.const 14)))
        (v128.store64_lane align=2 0 (local.get $output) (i16x8.narrow_i32x4_s (local.get $sum0) (local.get $sum0)))
        (local.set $output (i32.add (local.get $output) (i32.const 8)))
        (br $outputs)))
    (local.get $end)))
