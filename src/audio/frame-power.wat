;; The inner loops of audio/frame-power.ts, eight samples of 16 bits at a time. Lengths are bytes, multiples of 16, never 0.
(module
  (memory (export "memory") 1)
  ;; The sum of the squares. Two squares of -32,768 are 2^31, which only an unsigned number holds.
  (func $energy (export "energy") (param $at i32) (param $bytes i32) (result f64)
    (local $end i32) (local $sum v128) (local $pairs v128)
    (local.set $end (i32.add (local.get $at) (local.get $bytes)))
    (loop $next
      (local.set $pairs (i32x4.dot_i16x8_s (v128.load (local.get $at)) (v128.load (local.get $at))))
      (local.set $sum
        (i64x2.add (local.get $sum)
          (i64x2.add
            (i64x2.extend_low_i32x4_u (local.get $pairs))
            (i64x2.extend_high_i32x4_u (local.get $pairs)))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $end))))
    (f64.convert_i64_u
      (i64.add (i64x2.extract_lane 0 (local.get $sum)) (i64x2.extract_lane 1 (local.get $sum)))))
  ;; The sum of the products of each sample and the one `lag` bytes later.
  (func (export "product") (param $lag i32) (param $bytes i32) (result f64)
    (local $at i32) (local $sum v128) (local $pairs v128)
    (loop $next
      (local.set $pairs
        (i32x4.dot_i16x8_s
          (v128.load (local.get $at))
          (v128.load (i32.add (local.get $at) (local.get $lag)))))
      (local.set $sum
        (i64x2.add (local.get $sum)
          (i64x2.add
            (i64x2.extend_low_i32x4_s (local.get $pairs))
            (i64x2.extend_high_i32x4_s (local.get $pairs)))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $bytes))))
    (f64.convert_i64_s
      (i64.add (i64x2.extract_lane 0 (local.get $sum)) (i64x2.extract_lane 1 (local.get $sum)))))
  ;; Writes the energy of each block of the frame to `to`.
  (func (export "energies") (param $block i32) (param $bytes i32) (param $to i32)
    (local $at i32)
    (loop $next
      (f64.store (local.get $to) (call $energy (local.get $at) (local.get $block)))
      (local.set $to (i32.add (local.get $to) (i32.const 8)))
      (local.set $at (i32.add (local.get $at) (local.get $block)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $bytes))))))
