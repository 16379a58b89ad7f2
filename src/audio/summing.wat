;; The inner loops of audio/summing-bus.ts, eight samples at a time. Voices have 16 bits, their sum 32.
;; Lengths are the bytes of one voice, a multiple of 16.
(module
  (memory (export "memory") 1)
  ;; Adds a voice to the sum.
  (func (export "add") (param $total i32) (param $voice i32) (param $bytes i32)
    (local $end i32) (local $samples v128)
    (local.set $end (i32.add (local.get $voice) (local.get $bytes)))
    (loop $next
      (local.set $samples (v128.load (local.get $voice)))
      (v128.store (local.get $total)
        (i32x4.add (v128.load (local.get $total)) (i32x4.extend_low_i16x8_s (local.get $samples))))
      (v128.store offset=16 (local.get $total)
        (i32x4.add (v128.load offset=16 (local.get $total)) (i32x4.extend_high_i16x8_s (local.get $samples))))
      (local.set $total (i32.add (local.get $total) (i32.const 32)))
      (local.set $voice (i32.add (local.get $voice) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $voice) (local.get $end)))))
  ;; Writes the sum without one voice to `rest`, saturated.
  (func (export "subtract") (param $total i32) (param $voice i32) (param $rest i32) (param $bytes i32)
    (local $end i32) (local $samples v128)
    (local.set $end (i32.add (local.get $voice) (local.get $bytes)))
    (loop $next
      (local.set $samples (v128.load (local.get $voice)))
      (v128.store (local.get $rest)
        (i16x8.narrow_i32x4_s
          (i32x4.sub (v128.load (local.get $total)) (i32x4.extend_low_i16x8_s (local.get $samples)))
          (i32x4.sub (v128.load offset=16 (local.get $total)) (i32x4.extend_high_i16x8_s (local.get $samples)))))
      (local.set $total (i32.add (local.get $total) (i32.const 32)))
      (local.set $rest (i32.add (local.get $rest) (i32.const 16)))
      (local.set $voice (i32.add (local.get $voice) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $voice) (local.get $end))))))
