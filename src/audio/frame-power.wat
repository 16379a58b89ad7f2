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
  ;; Divides a frame into blocks of whole vectors, as equal as that goes, and writes the energy of a sample in each to `to`.
  (func (export "energies") (param $vectors i32) (param $blocks i32) (param $to i32)
    (local $block i32) (local $from i32) (local $end i32)
    (loop $next
      (local.set $from (local.get $end))
      (local.set $block (i32.add (local.get $block) (i32.const 1)))
      (local.set $end
        (i32.div_u (i32.mul (local.get $block) (local.get $vectors)) (local.get $blocks)))
      (f64.store (local.get $to)
        (f64.div
          (call $energy
            (i32.shl (local.get $from) (i32.const 4))
            (i32.shl (i32.sub (local.get $end) (local.get $from)) (i32.const 4)))
          (f64.convert_i32_u (i32.shl (i32.sub (local.get $end) (local.get $from)) (i32.const 3)))))
      (local.set $to (i32.add (local.get $to) (i32.const 8)))
      (br_if $next (i32.lt_u (local.get $block) (local.get $blocks))))))
