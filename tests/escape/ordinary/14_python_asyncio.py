#!/usr/bin/env python3
# needs: python3
import asyncio
import os
import socket
import tempfile


async def answer(reader, writer):
    writer.write((await reader.readline()).upper())
    await writer.drain()
    writer.close()


async def ask(connect):
    reader, writer = await connect
    writer.write(b"hello\n")
    print(await reader.readline())
    writer.close()


async def main():
    server = await asyncio.start_server(answer, "localhost", 0)
    async with server:
        for listener in server.sockets:
            await ask(asyncio.open_connection(*listener.getsockname()[:2]))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "s")
        async with await asyncio.start_unix_server(answer, path):
            await ask(asyncio.open_unix_connection(path))
    process = await asyncio.create_subprocess_exec("echo", "child", stdout=asyncio.subprocess.PIPE)
    print((await process.communicate())[0])
    print(await asyncio.get_running_loop().getaddrinfo("localhost", 80, type=socket.SOCK_STREAM))


asyncio.run(main())
