{$mode objfpc}{$H+}
program Player;
uses Classes, StrUtils, SysUtils;
var
  Line: string;
  From: integer;
  Legal: TStringList;
begin
  Randomize;
  Legal := TStringList.Create;
  while not Eof do
  begin
    ReadLn(Line);
    if Pos('"type":"quit"', Line) > 0 then Break;
    if Pos('"type":"init"', Line) > 0 then WriteLn('ok');
    if Pos('"type":"turn"', Line) > 0 then
    begin
      From := Pos('"legal":[', Line) + 9;
      Legal.CommaText := Copy(Line, From, PosEx(']', Line, From) - From);
      WriteLn(Legal[Random(Legal.Count)]);
    end;
    Flush(Output);
  end;
end.
