"""Run inside a network namespace: carries what comes on a port of its loopback to an address outside,
and prints that port."""

import asyncio
import sys


async def pump(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        # The other side hears of it by the close.
        pass
    writer.close()


async def main(host, port):
    async def accept(reader, writer):
        try:
            far = await asyncio.open_connection(host, port)
        except OSError:
            return writer.close()
        await asyncio.gather(pump(reader, far[1]), pump(far[0], writer))

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
