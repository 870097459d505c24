#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

int main() {
    std::srand(std::time(nullptr));
    std::string line;
    while (std::getline(std::cin, line)) {
        if (line.find("\"type\":\"init\"") != std::string::npos) {
            std::cout << "ok" << std::endl;
        } else if (line.find("\"type\":\"turn\"") != std::string::npos) {
            std::vector<std::string> legal;
            std::size_t at = line.find("\"legal\":[") + 9;
            while (line[at] != ']') {
                std::size_t begin = line.find('"', at) + 1, end = line.find('"', begin);
                legal.push_back(line.substr(begin, end - begin));
                at = end + 1;
            }
            std::cout << legal[std::rand() % legal.size()] << std::endl;
        } else if (line.find("\"type\":\"quit\"") != std::string::npos) {
            break;
        }
    }
}
