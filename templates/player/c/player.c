/* A player for @GAME@. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, TEXT = 257 };

/* Reads the list of strings under `key` in `line` into `items`; returns their number. */
static size_t read_list(const char *line, const char *key, char items[][TEXT])
{
    size_t count = 0;
    const char *at = strstr(line, key);
    if (at == NULL)
        return 0;
    at = strchr(at, '[');
    while (at != NULL && count < MOST && (at[1] == '"')) {
        const char *begin = at + 2;
        const char *end = strchr(begin, '"');
        if (end == NULL || end - begin >= TEXT)
            break;
        memcpy(items[count], begin, (size_t)(end - begin));
        items[count++][end - begin] = '\0';
        at = end[1] == ',' ? end + 1 : NULL;
    }
    return count;
}

/* Prints the action to play. Start here: `line` is the whole turn, with its state and events. */
static void choose(const char *line)
{
<<rows>>
    /* The position is under "state": read_list(line, "\"@ROWS@\":", rows) reads its rows,
       and rows[row][column] is a square. */
<<end>>
<<list>>
    static char legal[MOST][TEXT];
    size_t count = read_list(line, "\"legal\":", legal);
    if (count > 0)
        puts(legal[(size_t)rand() % count]);
<<factored>>
    static char directions[MOST][TEXT], squares[MOST][TEXT];
    const char *legal = strstr(line, "\"legal\":"); /* the state has such lists too */
    if (legal == NULL)
        return;
    size_t ways = read_list(legal, "\"directions\":", directions);
    size_t left = read_list(legal, "\"squares\":", squares);
    const char *number = strstr(legal, "\"walls\":");
    long walls = number == NULL ? 0 : strtol(number + strlen("\"walls\":"), NULL, 10);
    if (ways == 0)
        return;
    printf("%s", directions[(size_t)rand() % ways]);
    printf(" %s", directions[(size_t)rand() % ways]);
    for (; walls > 0 && left > 0; walls--) {
        size_t at = (size_t)rand() % left;
        printf(" %s", squares[at]);
        memmove(squares[at], squares[--left], TEXT);
    }
    puts("");
<<end>>
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        if (strncmp(line, "{\"type\":\"init\"", 14) == 0) {
            const char *seed = strstr(line, "\"seed\":");
            srand(seed == NULL ? 1 : (unsigned)strtoull(seed + strlen("\"seed\":"), NULL, 10));
            int known = strstr(line, "\"game\":\"@GAME@\"") != NULL;
            puts(known ? "ok" : "{\"error\":\"@REFUSAL@\"}");
        } else if (strncmp(line, "{\"type\":\"turn\"", 14) == 0) {
            choose(line);
        } else if (strncmp(line, "{\"type\":\"quit\"", 14) == 0) {
            break;
        } /* `error` and `end` ask for no reply. */
        fflush(stdout); /* Without it the referee would never see the line. */
    }
    free(line);
    return 0;
}
