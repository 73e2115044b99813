// hosts.c - fuzzes the reading of lists of hosts: the first host of what is read is a list of one
// host, itself.
#include "cli/launch.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[1024], first[CLI_HOST_TEXT], again[CLI_HOST_TEXT];
    bool only;
    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (cli_launch_hosts(text, first, &only, NULL) != TAC_OK)
        return 0;
    if (cli_launch_hosts(first, again, &only, NULL) != TAC_OK || !only || strcmp(first, again) != 0)
        abort();
    return 0;
}
