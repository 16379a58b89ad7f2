;; The inner loop of audio/resampler.ts: a polyphase FIR filter on 16-bit samples, eight products at a time.
;; Memory holds one page of samples, then the filters. Coefficients are Q14; samples and sums are integers.
(module
  (memory (export "memory") 25)
  ;; Writes one output sample for every position, from `at` and `phase` on, within `length` input samples. Returns the
  ;; address after the last one. `window` starts with the taps - 1 samples before the input.
  (func (export "convolve")
    (param $window i32) (param $length i32) (param $output i32)
    (param $filter i32) (param $taps i32) (param $phases i32)
    (param $up i32) (param $wholeStep i32) (param $phaseStep i32)
    (param $at i32) (param $phase i32)
    (result i32)
    (local $rowBytes i32) (local $row i32) (local $rowEnd i32) (local $sample i32) (local $sum v128) (local $value i32)
    (local $at1 i32) (local $phase1 i32) (local $at2 i32) (local $phase2 i32) (local $at3 i32) (local $phase3 i32)
    (local $row0 i32) (local $row1 i32) (local $row2 i32) (local $row3 i32)
    (local $sample0 i32) (local $sample1 i32) (local $sample2 i32) (local $sample3 i32)
    (local $sum0 v128) (local $sum1 v128) (local $sum2 v128) (local $sum3 v128) (local $offset i32)
    (local.set $rowBytes (i32.shl (local.get $taps) (i32.const 1)))
    ;; Four outputs at a time, while there are four and every phase has its own row. Adding the lanes of four sums
    ;; together costs as much as adding those of one.
    (if (i32.eq (local.get $phases) (local.get $up))
      (then
        (block $fewer
          (loop $fours
            (local.set $at1 (i32.add (local.get $at) (local.get $wholeStep)))
            (local.set $phase1 (i32.add (local.get $phase) (local.get $phaseStep)))
            (if (i32.ge_s (local.get $phase1) (local.get $up))
              (then
                (local.set $phase1 (i32.sub (local.get $phase1) (local.get $up)))
                (local.set $at1 (i32.add (local.get $at1) (i32.const 1)))))
            (local.set $at2 (i32.add (local.get $at1) (local.get $wholeStep)))
            (local.set $phase2 (i32.add (local.get $phase1) (local.get $phaseStep)))
            (if (i32.ge_s (local.get $phase2) (local.get $up))
              (then
                (local.set $phase2 (i32.sub (local.get $phase2) (local.get $up)))
                (local.set $at2 (i32.add (local.get $at2) (i32.const 1)))))
            (local.set $at3 (i32.add (local.get $at2) (local.get $wholeStep)))
            (local.set $phase3 (i32.add (local.get $phase2) (local.get $phaseStep)))
            (if (i32.ge_s (local.get $phase3) (local.get $up))
              (then
                (local.set $phase3 (i32.sub (local.get $phase3) (local.get $up)))
                (local.set $at3 (i32.add (local.get $at3) (i32.const 1)))))
            (br_if $fewer (i32.ge_s (local.get $at3) (local.get $length)))
                (local.set $row0 (i32.add (local.get $filter) (i32.mul (local.get $phase) (local.get $rowBytes))))
                (local.set $sample0 (i32.add (local.get $window) (i32.shl (local.get $at) (i32.const 1))))
                (local.set $sum0 (v128.const i32x4 0 0 0 0))
                (local.set $row1 (i32.add (local.get $filter) (i32.mul (local.get $phase1) (local.get $rowBytes))))
                (local.set $sample1 (i32.add (local.get $window) (i32.shl (local.get $at1) (i32.const 1))))
                (local.set $sum1 (v128.const i32x4 0 0 0 0))
                (local.set $row2 (i32.add (local.get $filter) (i32.mul (local.get $phase2) (local.get $rowBytes))))
                (local.set $sample2 (i32.add (local.get $window) (i32.shl (local.get $at2) (i32.const 1))))
                (local.set $sum2 (v128.const i32x4 0 0 0 0))
                (local.set $row3 (i32.add (local.get $filter) (i32.mul (local.get $phase3) (local.get $rowBytes))))
                (local.set $sample3 (i32.add (local.get $window) (i32.shl (local.get $at3) (i32.const 1))))
                (local.set $sum3 (v128.const i32x4 0 0 0 0))
            (local.set $offset (i32.const 0))
            (loop $products
                  (local.set $sum0 (i32x4.add (local.get $sum0)
                    (i32x4.dot_i16x8_s
                      (v128.load align=2 (i32.add (local.get $row0) (local.get $offset)))
                      (v128.load align=2 (i32.add (local.get $sample0) (local.get $offset))))))
                  (local.set $sum1 (i32x4.add (local.get $sum1)
                    (i32x4.dot_i16x8_s
                      (v128.load align=2 (i32.add (local.get $row1) (local.get $offset)))
                      (v128.load align=2 (i32.add (local.get $sample1) (local.get $offset))))))
                  (local.set $sum2 (i32x4.add (local.get $sum2)
                    (i32x4.dot_i16x8_s
                      (v128.load align=2 (i32.add (local.get $row2) (local.get $offset)))
                      (v128.load align=2 (i32.add (local.get $sample2) (local.get $offset))))))
                  (local.set $sum3 (i32x4.add (local.get $sum3)
                    (i32x4.dot_i16x8_s
                      (v128.load align=2 (i32.add (local.get $row3) (local.get $offset)))
                      (v128.load align=2 (i32.add (local.get $sample3) (local.get $offset))))))
              (local.set $offset (i32.add (local.get $offset) (i32.const 16)))
              (br_if $products (i32.lt_u (local.get $offset) (local.get $rowBytes))))
            ;; Adds the lanes of two sums side by side, [a0+a2 b0+b2 a1+a3 b1+b3], then of two such pairs.
            (local.set $sum0 (i32x4.add
              (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $sum0) (local.get $sum1))
              (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $sum0) (local.get $sum1))))
            (local.set $sum2 (i32x4.add
              (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $sum2) (local.get $sum3))
              (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $sum2) (local.get $sum3))))
            (local.set $sum0 (i32x4.add
              (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $sum0) (local.get $sum2))
              (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $sum0) (local.get $sum2))))
            (local.set $sum0 (i32x4.shr_s (i32x4.add (local.get $sum0) (i32x4.splat (i32.const 8192))) (i32.const 14)))
            (v128.store64_lane align=2 0 (local.get $output) (i16x8.narrow_i32x4_s (local.get $sum0) (local.get $sum0)))
            (local.set $output (i32.add (local.get $output) (i32.const 8)))
            (local.set $at (i32.add (local.get $at3) (local.get $wholeStep)))
            (local.set $phase (i32.add (local.get $phase3) (local.get $phaseStep)))
            (if (i32.ge_s (local.get $phase) (local.get $up))
              (then
                (local.set $phase (i32.sub (local.get $phase) (local.get $up)))
                (local.set $at (i32.add (local.get $at) (i32.const 1)))))
            (br $fours)))))
    (block $done
      (loop $outputs
        (br_if $done (i32.ge_s (local.get $at) (local.get $length)))
        ;; The filter row: the phase itself, or the nearest row if there are fewer rows than phases.
        (if (i32.eq (local.get $phases) (local.get $up))
          (then (local.set $row (local.get $phase)))
          (else (local.set $row
            (i32.div_u
              (i32.add (i32.mul (local.get $phase) (local.get $phases)) (i32.shr_u (local.get $up) (i32.const 1)))
              (local.get $up)))))
        (local.set $row (i32.add (local.get $filter) (i32.mul (local.get $row) (local.get $rowBytes))))
        (local.set $rowEnd (i32.add (local.get $row) (local.get $rowBytes)))
        (local.set $sample (i32.add (local.get $window) (i32.shl (local.get $at) (i32.const 1))))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (loop $products
          (local.set $sum (i32x4.add (local.get $sum)
            (i32x4.dot_i16x8_s (v128.load align=2 (local.get $row)) (v128.load align=2 (local.get $sample)))))
          (local.set $sample (i32.add (local.get $sample) (i32.const 16)))
          (local.set $row (i32.add (local.get $row) (i32.const 16)))
          (br_if $products (i32.lt_u (local.get $row) (local.get $rowEnd))))
        (local.set $value (i32.shr_s
          (i32.add
            (i32.add
              (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
              (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum))))
            (i32.const 8192))
          (i32.const 14)))
        (if (i32.gt_s (local.get $value) (i32.const 32767)) (then (local.set $value (i32.const 32767))))
        (if (i32.lt_s (local.get $value) (i32.const -32768)) (then (local.set $value (i32.const -32768))))
        (i32.store16 (local.get $output) (local.get $value))
        (local.set $output (i32.add (local.get $output) (i32.const 2)))
        ;; Advance to the next output sample.
        (local.set $at (i32.add (local.get $at) (local.get $wholeStep)))
        (local.set $phase (i32.add (local.get $phase) (local.get $phaseStep)))
        (if (i32.ge_s (local.get $phase) (local.get $up))
          (then
            (local.set $phase (i32.sub (local.get $phase) (local.get $up)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))))
        (br $outputs)))
    (local.get $output)))
