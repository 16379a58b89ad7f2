;; The inner loop of audio/resampler.ts: a polyphase FIR on 16-bit samples, eight products at a time.
;; One page of samples, then the filters. Coefficients are in Q14; samples, sums and results are integers.
(module
  (memory (export "memory") 25)
  ;; Writes one output sample for every position from `at` and `phase` on that lies within `length` input samples;
  ;; returns the address behind the last one. `window` holds taps - 1 older samples before the input's first.
  (func (export "convolve")
    (param $window i32) (param $length i32) (param $output i32)
    (param $filter i32) (param $taps i32) (param $phases i32)
    (param $up i32) (param $wholeStep i32) (param $phaseStep i32)
    (param $at i32) (param $phase i32)
    (result i32)
    (local $rowBytes i32) (local $row i32) (local $rowEnd i32) (local $sample i32) (local $sum v128) (local $value i32)
    (local.set $rowBytes (i32.shl (local.get $taps) (i32.const 1)))
    (block $done
      (loop $outputs
        (br_if $done (i32.ge_s (local.get $at) (local.get $length)))
        ;; Row of the filter: the phase itself, or the nearest of fewer rows.
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
        ;; On to the next output sample.
        (local.set $at (i32.add (local.get $at) (local.get $wholeStep)))
        (local.set $phase (i32.add (local.get $phase) (local.get $phaseStep)))
        (if (i32.ge_s (local.get $phase) (local.get $up))
          (then
            (local.set $phase (i32.sub (local.get $phase) (local.get $up)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))))
        (br $outputs)))
    (local.get $output)))
