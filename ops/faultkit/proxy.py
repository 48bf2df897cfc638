"""A TCP proxy that misbehaves on demand: delay, one byte at a time, reset at byte N or at a word,
half-open, black hole, a slow line, one way only."""

import asyncio
import socket
import struct
import threading

TO_SERVER, TO_CLIENT = "to_server", "to_client"


class Proxy:
    """`target` is a Unix socket's path or (host, port). A fault holds for what passes from then on."""

    def __init__(self, target, host="127.0.0.1"):
        self.target = target
        self.host = host
        self.port = None
        self.resets = 0
        self.writers = set()
        self.loop = asyncio.new_event_loop()
        self.clear()
        started = threading.Event()
        threading.Thread(target=self._serve, args=(started,), daemon=True).start()
        started.wait()

    def clear(self):
        self.delay = 0.0
        self.one_byte = False
        self.rate = None
        self.swallowed = set()
        self.stalled = set()
        self.budget = None
        self.word = None
        self.refuses = False

    # --- faults

    def reset_after(self, count, way):
        self.budget = [count, way]

    def reset_at(self, word, way, seen=None):
        """Resets when the word comes by, before it is handed on; calls `seen` first."""
        self.word = (word, way, seen)

    def swallow(self, *ways):
        self.swallowed = set(ways)

    def stall(self, *ways):
        """Reads no more, so that buffers fill up: a half-open line."""
        self.stalled = set(ways)

    def reset_all(self):
        self.loop.call_soon_threadsafe(self._reset_all)

    def _reset_all(self):
        for writer in list(self.writers):
            self._abort(writer)

    def _abort(self, writer):
        raw = writer.get_extra_info("socket")
        if raw is not None and raw.family != socket.AF_UNIX:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    # --- the loop

    def _serve(self, started):
        asyncio.set_event_loop(self.loop)

        async def begin():
            server = await asyncio.start_server(self._accept, self.host, 0)
            self.port = server.sockets[0].getsockname()[1]
            started.set()

        self.loop.run_until_complete(begin())
        self.loop.run_forever()

    async def _accept(self, reader, writer):
        if self.refuses:
            return self._abort(writer)
        try:
            if isinstance(self.target, str):
                far = await asyncio.open_unix_connection(self.target)
            else:
                far = await asyncio.open_connection(*self.target)
        except OSError:
            return self._abort(writer)
        pair = (writer, far[1])
        self.writers.update(pair)
        ways = [self._pump(reader, far[1], TO_SERVER, pair), self._pump(far[0], writer, TO_CLIENT, pair)]
        await asyncio.gather(*ways, return_exceptions=True)
        for each in pair:
            self.writers.discard(each)
            each.close()

    async def _pump(self, reader, writer, way, pair):
        try:
            await self._carry(reader, writer, way, pair)
        finally:
            # However one side ended, the other must hear of it.
            writer.close()

    async def _carry(self, reader, writer, way, pair):
        while True:
            while way in self.stalled:
                await asyncio.sleep(0.05)
            data = await reader.read(65536)
            if not data or writer.is_closing():
                break
            if self.delay:
                await asyncio.sleep(self.delay)
            if way in self.swallowed:
                continue
            if self.word and self.word[1] == way and self.word[0] in data:
                _, _, seen = self.word
                self.word = None
                if seen:
                    seen()
                return self._reset(pair)
            if self.budget and self.budget[1] == way:
                if len(data) >= self.budget[0]:
                    data = data[:self.budget[0]]
                    self.budget = None
                    writer.write(data)
                    return self._reset(pair)
                self.budget[0] -= len(data)
            if self.one_byte:
                for byte in data[:200]:
                    if writer.is_closing():
                        break
                    writer.write(bytes([byte]))
                    await asyncio.sleep(0)
                data = data[200:]
            if self.rate:
                await asyncio.sleep(len(data) / self.rate)
            if writer.is_closing():
                break
            writer.write(data)
            await writer.drain()

    def _reset(self, pair):
        self.resets += 1
        for each in pair:
            self._abort(each)
