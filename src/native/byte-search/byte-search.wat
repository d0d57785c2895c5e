;; Searches bytes sixteen at a time. Memory: the needle at 0, its masks at 256; tables for `findAccent` at 512 (see kernel.ts);
;; the bytes to search from 4096 on. Bytes behind the end may be read, but never count: up to the length of the needle and 64
;; more.
(module
  (memory (export "memory") 9)

  ;; The first place in [from, to) where the needle begins and ends before `to`; -1 if it is not there. A byte matches if it
  ;; equals the needle's after an OR with its mask: 0x20 makes a letter lower case. `a` and `b` are the places of the two
  ;; rarest bytes of the needle: only where both match is the rest compared.
  (func (export "find") (param $from i32) (param $to i32) (param $length i32) (param $a i32) (param $b i32) (result i32)
    (local $last i32) (local $pa i32) (local $pb i32) (local $bits i32) (local $at i32) (local $i i32)
    (local $va v128) (local $vb v128) (local $ma v128) (local $mb v128)
    (local.set $last (i32.sub (local.get $to) (local.get $length)))
    (local.set $va (i8x16.splat (i32.load8_u (local.get $a))))
    (local.set $vb (i8x16.splat (i32.load8_u (local.get $b))))
    (local.set $ma (i8x16.splat (i32.load8_u offset=256 (local.get $a))))
    (local.set $mb (i8x16.splat (i32.load8_u offset=256 (local.get $b))))
    (block $none
      (loop $blocks
        (br_if $none (i32.gt_s (local.get $from) (local.get $last)))
        ;; Skips 64 bytes at a time as long as none of them can be it.
        (loop $skip
          (local.set $pa (i32.add (local.get $from) (local.get $a)))
          (local.set $pb (i32.add (local.get $from) (local.get $b)))
          (if (i32.eqz
              (v128.any_true
                (v128.or
                  (v128.or
              (v128.and
                (i8x16.eq (v128.or (v128.load (local.get $pa)) (local.get $ma)) (local.get $va))
                (i8x16.eq (v128.or (v128.load (local.get $pb)) (local.get $mb)) (local.get $vb)))
              (v128.and
                (i8x16.eq (v128.or (v128.load offset=16 (local.get $pa)) (local.get $ma)) (local.get $va))
                (i8x16.eq (v128.or (v128.load offset=16 (local.get $pb)) (local.get $mb)) (local.get $vb))))
                  (v128.or
              (v128.and
                (i8x16.eq (v128.or (v128.load offset=32 (local.get $pa)) (local.get $ma)) (local.get $va))
                (i8x16.eq (v128.or (v128.load offset=32 (local.get $pb)) (local.get $mb)) (local.get $vb)))
              (v128.and
                (i8x16.eq (v128.or (v128.load offset=48 (local.get $pa)) (local.get $ma)) (local.get $va))
                (i8x16.eq (v128.or (v128.load offset=48 (local.get $pb)) (local.get $mb)) (local.get $vb)))))))
            (then
              (local.set $from (i32.add (local.get $from) (i32.const 64)))
              (br_if $skip (i32.le_s (local.get $from) (local.get $last)))
              (br $none))))
        (local.set $bits
          (i8x16.bitmask
            (v128.and
              (i8x16.eq (v128.or (v128.load (i32.add (local.get $from) (local.get $a))) (local.get $ma)) (local.get $va))
              (i8x16.eq (v128.or (v128.load (i32.add (local.get $from) (local.get $b))) (local.get $mb)) (local.get $vb)))))
        (block $next
          (loop $candidates
            (br_if $next (i32.eqz (local.get $bits)))
            (local.set $at (i32.add (local.get $from) (i32.ctz (local.get $bits))))
            (br_if $none (i32.gt_s (local.get $at) (local.get $last)))
            (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
            (local.set $i (i32.const 0))
            (loop $compare
              (br_if $candidates
                (i32.ne
                  (i32.or
                    (i32.load8_u (i32.add (local.get $at) (local.get $i)))
                    (i32.load8_u offset=256 (local.get $i)))
                  (i32.load8_u (local.get $i))))
              (local.set $i (i32.add (local.get $i) (i32.const 1)))
              (br_if $compare (i32.lt_s (local.get $i) (local.get $length))))
            (return (local.get $at))))
        (local.set $from (i32.add (local.get $from) (i32.const 16)))
        (br $blocks)))
    (i32.const -1))

  ;; The bits of the positions at which the needles have this byte.
  (func $positions (param $at i32) (result i64)
    (i64.load offset=512 (i32.shl (i32.load8_u (local.get $at)) (i32.const 3))))

  ;; The first place in [from, to) that may be a letter of a needle with an accent: a Latin letter in UTF-8, U+00C0 to U+036F or
  ;; U+1E00 to U+1FFF, or a JSON escape other than that of a control character, between letters that fit; -1 if not found.
  ;; Bit n of a set of positions is the nth letter of all needles together, modulo 64.
  (func (export "findAccent") (param $from i32) (param $to i32) (param $first i64) (param $last i64) (result i32)
    (local $bits i32) (local $at i32) (local $byte i32) (local $code i32) (local $next i32)
    (local $before i64) (local $fits i64)
    (local $c3 v128) (local $ten v128) (local $e1 v128) (local $slash v128) (local $u v128)
    (local.set $c3 (i8x16.splat (i32.const 0xc3)))
    (local.set $ten (i8x16.splat (i32.const 10)))
    (local.set $e1 (i8x16.splat (i32.const 0xe1)))
    (local.set $slash (i8x16.splat (i32.const 0x5c)))
    (local.set $u (i8x16.splat (i32.const 0x75)))
    (block $none
      (loop $blocks
        (br_if $none (i32.ge_s (local.get $from) (local.get $to)))
        (loop $skip
          (if (i32.eqz
              (v128.any_true
                (v128.or
                  (v128.or
              (v128.or
                (i8x16.le_u (i8x16.sub (v128.load (local.get $from)) (local.get $c3)) (local.get $ten))
                (v128.or
                  (i8x16.eq (v128.load (local.get $from)) (local.get $e1))
                  (v128.and
                    (i8x16.eq (v128.load (local.get $from)) (local.get $slash))
                    (i8x16.eq (v128.load offset=1 (local.get $from)) (local.get $u)))))
              (v128.or
                (i8x16.le_u (i8x16.sub (v128.load offset=16 (local.get $from)) (local.get $c3)) (local.get $ten))
                (v128.or
                  (i8x16.eq (v128.load offset=16 (local.get $from)) (local.get $e1))
                  (v128.and
                    (i8x16.eq (v128.load offset=16 (local.get $from)) (local.get $slash))
                    (i8x16.eq (v128.load offset=17 (local.get $from)) (local.get $u))))))
                  (v128.or
              (v128.or
                (i8x16.le_u (i8x16.sub (v128.load offset=32 (local.get $from)) (local.get $c3)) (local.get $ten))
                (v128.or
                  (i8x16.eq (v128.load offset=32 (local.get $from)) (local.get $e1))
                  (v128.and
                    (i8x16.eq (v128.load offset=32 (local.get $from)) (local.get $slash))
                    (i8x16.eq (v128.load offset=33 (local.get $from)) (local.get $u)))))
              (v128.or
                (i8x16.le_u (i8x16.sub (v128.load offset=48 (local.get $from)) (local.get $c3)) (local.get $ten))
                (v128.or
                  (i8x16.eq (v128.load offset=48 (local.get $from)) (local.get $e1))
                  (v128.and
                    (i8x16.eq (v128.load offset=48 (local.get $from)) (local.get $slash))
                    (i8x16.eq (v128.load offset=49 (local.get $from)) (local.get $u)))))))))
            (then
              (local.set $from (i32.add (local.get $from) (i32.const 64)))
              (br_if $skip (i32.lt_s (local.get $from) (local.get $to)))
              (br $none))))
        (local.set $bits
          (i8x16.bitmask
              (v128.or
                (i8x16.le_u (i8x16.sub (v128.load (local.get $from)) (local.get $c3)) (local.get $ten))
                (v128.or
                  (i8x16.eq (v128.load (local.get $from)) (local.get $e1))
                  (v128.and
                    (i8x16.eq (v128.load (local.get $from)) (local.get $slash))
                    (i8x16.eq (v128.load offset=1 (local.get $from)) (local.get $u)))))))
        (block $next
          (loop $candidates
            (br_if $next (i32.eqz (local.get $bits)))
            (local.set $at (i32.add (local.get $from) (i32.ctz (local.get $bits))))
            (br_if $none (i32.ge_s (local.get $at) (local.get $to)))
            (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
            (local.set $byte (i32.load8_u (local.get $at)))
            (local.set $before (call $positions (i32.sub (local.get $at) (i32.const 1))))
            (block $known
              (if (i32.eq (local.get $byte) (i32.const 0x5c))
                (then
                  ;; `\u000` and `\u001`
                  (br_if $candidates
                    (i32.eq
                      (i32.and (i32.load align=1 (i32.add (local.get $at) (i32.const 1))) (i32.const 0xfeffffff))
                      (i32.const 0x30303075)))
                  ;; Any letter, or an accent of the letter before it.
                  (local.set $next (i32.add (local.get $at) (i32.const 6)))
                  (local.set $fits
                    (i64.or
                      (local.get $before)
                      (i64.or (i64.rotl (local.get $before) (i64.const 1)) (local.get $first))))
                  (br $known)))
              ;; Its place in the table of letters.
              (if (i32.eq (local.get $byte) (i32.const 0xe1))
                (then
                  (local.set $next (i32.add (local.get $at) (i32.const 3)))
                  (local.set $code
                    (i32.sub
                      (i32.or
                        (i32.shl (i32.and (i32.load8_u offset=1 (local.get $at)) (i32.const 0x3f)) (i32.const 6))
                        (i32.and (i32.load8_u offset=2 (local.get $at)) (i32.const 0x3f)))
                      (i32.const 0xe00)))
                  (br_if $candidates (i32.ge_u (local.get $code) (i32.const 0x200)))
                  (local.set $code (i32.add (local.get $code) (i32.const 0x2c0))))
                (else
                  (local.set $next (i32.add (local.get $at) (i32.const 2)))
                  (local.set $code
                    (i32.sub
                      (i32.or
                        (i32.shl (i32.and (local.get $byte) (i32.const 0x1f)) (i32.const 6))
                        (i32.and (i32.load8_u offset=1 (local.get $at)) (i32.const 0x3f)))
                      (i32.const 0xc0)))))
              (local.set $byte (i32.load8_u offset=2560 (local.get $code)))
              ;; Not a letter of ASCII with an accent.
              (br_if $candidates (i32.eq (local.get $byte) (i32.const 0xff)))
              (local.set $fits
                (if (result i64) (i32.eqz (local.get $byte))
                  (then (local.get $before))
                  (else
                    (i64.and
                      (i64.load offset=512 (i32.shl (local.get $byte) (i32.const 3)))
                      (i64.or (i64.rotl (local.get $before) (i64.const 1)) (local.get $first)))))))
            (br_if $candidates
              (i64.eqz
                (i64.and
                  (local.get $fits)
                  (i64.or (i64.rotr (call $positions (local.get $next)) (i64.const 1)) (local.get $last)))))
            (return (local.get $at))))
        (local.set $from (i32.add (local.get $from) (i32.const 16)))
        (br $blocks)))
    (i32.const -1)))
