(use-modules (ice-9 rdelim) (ice-9 regex))

(set! *random-state* (random-state-from-platform))

(define (legal line)
  (let ((list (string-match "\"legal\":\\[([^]]*)\\]" line)))
    (map match:substring (list-matches "[^\",][^\"]*[^\",]" (match:substring list 1)))))

(let play ((line (read-line)))
  (unless (or (eof-object? line) (string-contains line "\"type\":\"quit\""))
    (cond
     ((string-contains line "\"type\":\"init\"")
      (display "ok\n"))
     ((string-contains line "\"type\":\"turn\"")
      (let ((actions (legal line)))
        (display (list-ref actions (random (length actions))))
        (newline))))
    (force-output)
    (play (read-line))))
