with Ada.Numerics.Float_Random; use Ada.Numerics.Float_Random;
with Ada.Strings.Fixed;         use Ada.Strings; use Ada.Strings.Fixed;
with Ada.Text_IO;               use Ada.Text_IO;

procedure Player is
   Dice : Generator;
begin
   Reset (Dice);
   loop
      declare
         Line  : constant String  := Get_Line;
         Start : constant Natural := Index (Line, """legal"":[");
      begin
         exit when Index (Line, """type"":""quit""") > 0;
         if Index (Line, """type"":""init""") > 0 then Put_Line ("ok"); end if;
         if Start > 0 then
            declare
               List   : constant String := Line (Start + 8 .. Index (Line, "]", Start));
               Chosen : Natural := Integer (Random (Dice) * Float (Fixed.Count (List, ",""")));
               From   : Natural := Index (List, """");
            begin
               for Skipped in 1 .. Chosen loop
                  From := Index (List, ",""", From + 1) + 1;
               end loop;
               Put_Line (List (From + 1 .. Index (List, """", From + 1) - 1));
            end;
         end if;
      end;
   end loop;
end Player;
