math.randomseed(os.time())

for line in io.lines() do
  if line:find('"type":"init"', 1, true) then
    print("ok")
  elseif line:find('"type":"turn"', 1, true) then
    local legal = {}
    for action in line:match('"legal":(%b[])'):gmatch('"(.-)"') do
      table.insert(legal, action)
    end
    print(legal[math.random(#legal)])
  elseif line:find('"type":"quit"', 1, true) then
    break
  end
  io.flush()
end
