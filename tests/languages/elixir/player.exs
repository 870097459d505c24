defmodule Player do
  def play do
    line = IO.gets("")

    cond do
      String.contains?(line, ~s("type":"init")) ->
        IO.puts("ok")
        play()

      String.contains?(line, ~s("type":"turn")) ->
        [_, list] = Regex.run(~r/"legal":\["(.*?)"\]/, line)
        IO.puts(Enum.random(String.split(list, ~s(","))))
        play()

      String.contains?(line, ~s("type":"quit")) ->
        :ok

      true ->
        play()
    end
  end
end

Player.play()
