#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char line[1 << 16];

int main(void) {
    srand(time(NULL));
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\"type\":\"init\"")) {
            printf("ok\n");
        } else if (strstr(line, "\"type\":\"turn\"")) {
            char *legal[256];
            int count = 0;
            char *list = strstr(line, "\"legal\":[") + 9;
            do {
                legal[count++] = strtok(list, "\"");
                list = NULL;
            } while (strtok(NULL, "\"")[0] == ','); /* a comma, or the end of the list */
            printf("%s\n", legal[rand() % count]);
        } else if (strstr(line, "\"type\":\"quit\"")) {
            break;
        }
        fflush(stdout);
    }
}
