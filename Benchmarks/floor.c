/* The least that a downloader can do, to measure others against: receive one file over plain
   HTTP/1.1, write it in large blocks into reserved room, and make it durable under its name.

   floor ADDRESS PORT PATH OUTPUT */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <libgen.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { block_size = 256 * 1024 };

static char block[block_size] __attribute__((aligned(4096)));

static int dial(const char *address, int port) {
  int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons(port)};
  if (inet_pton(AF_INET, address, &peer.sin_addr) != 1) errx(1, "no address: %s", address);
  if (connection < 0 || connect(connection, (struct sockaddr *)&peer, sizeof peer) < 0)
    err(1, "connect to %s", address);
  return connection;
}

static void ask(int connection, const char *address, const char *path) {
  char request[2048];
  int length = snprintf(request, sizeof request,
                        "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", path, address);
  if (send(connection, request, length, MSG_NOSIGNAL) != length) err(1, "send");
}

/* Reads up to the end of the head. Returns how many bytes of the block are filled, and sets where
   the body begins in it and how long the body is. */
static size_t receive_head(int connection, size_t *start, long long *length) {
  size_t fill = 0;
  char *end = NULL;
  while (!end) {
    ssize_t count = recv(connection, block + fill, block_size - 1 - fill, 0);
    if (count <= 0) errx(1, "the server closed the connection");
    fill += count;
    block[fill] = 0;
    end = memmem(block, fill, "\r\n\r\n", 4);
  }
  char *field = strcasestr(block, "\r\nContent-Length:");
  if (strncmp(block, "HTTP/1.1 200", 12) || !field || field > end) errx(1, "unusable answer");
  *length = atoll(field + 17);
  *start = end + 4 - block;
  return fill;
}

static void write_all(int file, size_t count, long long offset) {
  for (size_t done = 0; done < count;) {
    ssize_t written = pwrite(file, block + done, count - done, offset + done);
    if (written <= 0) err(1, "write");
    done += written;
  }
}

int main(int count, char **arguments) {
  if (count != 5) errx(64, "usage: floor ADDRESS PORT PATH OUTPUT");
  const char *output = arguments[4];
  char part[4096];
  snprintf(part, sizeof part, "%s.part", output);

  int connection = dial(arguments[1], atoi(arguments[2]));
  ask(connection, arguments[1], arguments[3]);
  size_t start;
  long long length;
  size_t fill = receive_head(connection, &start, &length) - start;
  memmove(block, block + start, fill);

  int file = open(part, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) err(1, "%s", part);
  if (fallocate(file, FALLOC_FL_KEEP_SIZE, 0, length) < 0) err(1, "fallocate");
  long long offset = 0;
  while (offset < length) {
    while (fill < block_size && offset + (long long)fill < length) {
      ssize_t received = recv(connection, block + fill, block_size - fill, 0);
      if (received <= 0) errx(1, "the server closed the connection");
      fill += received;
    }
    write_all(file, fill, offset);
    offset += fill;
    fill = 0;
  }

  if (fsync(file) < 0) err(1, "fsync");
  if (rename(part, output) < 0) err(1, "rename");
  int folder = open(dirname(strdup(output)), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0 || fsync(folder) < 0) err(1, "fsync of the folder");
  return 0;
}
