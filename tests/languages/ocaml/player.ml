let contains line text =
  try ignore (Str.search_forward (Str.regexp_string text) line 0); true
  with Not_found -> false

let legal line =
  ignore (Str.search_forward (Str.regexp "\"legal\":\\[\"\\([^]]*\\)\"\\]") line 0);
  Array.of_list (Str.split (Str.regexp_string "\",\"") (Str.matched_group 1 line))

let rec play () =
  let line = read_line () in
  if contains line "\"type\":\"init\"" then print_endline "ok"
  else if contains line "\"type\":\"turn\"" then begin
    let actions = legal line in
    print_endline actions.(Random.int (Array.length actions))
  end;
  if not (contains line "\"type\":\"quit\"") then play ()

let () = Random.self_init (); play ()
