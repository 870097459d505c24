(require '[clojure.string :as str])

(loop [line (read-line)]
  (when (and line (not (str/includes? line "\"type\":\"quit\"")))
    (cond
      (str/includes? line "\"type\":\"init\"") (println "ok")
      (str/includes? line "\"type\":\"turn\"")
      (let [legal (second (re-find #"\"legal\":\[\"(.*?)\"\]" line))]
        (println (rand-nth (str/split legal #"\",\"")))))
    (recur (read-line))))
