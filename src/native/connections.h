/* What the kernel knows about the connections of this process, and uWebSockets.js does not tell. */
#pragma once
#include <node_api.h>
#include <sys/socket.h>

int port_of(const struct sockaddr_storage *address);

/* connectionsFrom(port, address), loud(bytes) and traffic(descriptor) of acceptor.ts. */
napi_value connections_from(napi_env env, napi_callback_info info);
napi_value loud(napi_env env, napi_callback_info info);
napi_value traffic(napi_env env, napi_callback_info info);
