import Data.List (isInfixOf, isPrefixOf, tails)
import Data.Time.Clock (getCurrentTime, utctDayTime)
import System.IO

main :: IO ()
main = do
  hSetBuffering stdout LineBuffering
  line <- getLine
  if "\"type\":\"quit\"" `isInfixOf` line then return () else reply line >> main

reply :: String -> IO ()
reply line
  | "\"type\":\"init\"" `isInfixOf` line = putStrLn "ok"
  | "\"type\":\"turn\"" `isInfixOf` line = do
      now <- getCurrentTime -- random numbers need a library
      let actions = legal line
      putStrLn (actions !! (floor (utctDayTime now * 1000000) `mod` length actions))
  | otherwise = return ()

legal :: String -> [String]
legal line = read (takeWhile (/= ']') list ++ "]")
  where list = head [drop 8 rest | rest <- tails line, "\"legal\":" `isPrefixOf` rest]
