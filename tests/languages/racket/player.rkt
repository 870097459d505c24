#lang racket
(require json)

(let play ()
  (define message (read-json))
  (unless (or (eof-object? message) (equal? (hash-ref message 'type) "quit"))
    (match (hash-ref message 'type)
      ["init" (displayln "ok")]
      ["turn" (displayln (first (shuffle (hash-ref message 'legal))))]
      [_ (void)])
    (flush-output)
    (play)))
