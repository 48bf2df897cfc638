"""A network of the run's own: a namespace, a pair of interfaces, and a line through it on which
packets are lost or slow. Only root can make one; all of it is gone at the end."""

import os
import subprocess
import sys

from .machine import missing, not_root
from .proxy import Proxy

HOST, GUEST = "10.213.77.1", "10.213.77.2"

FORWARDER = os.path.join(os.path.dirname(__file__), "forward.py")


class Network:
    """What is started with `wrap` reaches the outside through `line` alone."""

    @staticmethod
    def missing():
        return not_root() or missing("ip", "tc", "iptables-legacy")

    def __init__(self, name):
        self.name = name
        self.outer, self.inner = f"{name}o", f"{name}i"
        self.forwarders = []
        self.proxies = []
        self._do("ip", "netns", "add", name)
        self._do("ip", "link", "add", self.outer, "type", "veth", "peer", "name", self.inner)
        self._do("ip", "link", "set", self.inner, "netns", name)
        self._do("ip", "addr", "add", f"{HOST}/30", "dev", self.outer)
        self._do("ip", "link", "set", self.outer, "up")
        for command in (["ip", "addr", "add", f"{GUEST}/30", "dev", self.inner],
                        ["ip", "link", "set", self.inner, "up"], ["ip", "link", "set", "lo", "up"]):
            self._do(*self.wrap, *command)

    @property
    def wrap(self):
        return ["ip", "netns", "exec", self.name]

    def line(self, target):
        """The port on the namespace's loopback that leads to the target outside."""
        proxy = Proxy(target, HOST)
        self.proxies.append(proxy)
        forwarder = subprocess.Popen(
            [*self.wrap, sys.executable, FORWARDER, HOST, str(proxy.port)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.forwarders.append(forwarder)
        return int(forwarder.stdout.readline())

    def door(self, target):
        """Host and port, in the namespace, that lead to the target outside without a stop: whoever
        connects there meets the network itself."""
        proxy = Proxy(target, HOST)
        self.proxies.append(proxy)
        return f"{HOST}:{proxy.port}"

    def drop(self, chain):
        """Drops every packet that comes in (INPUT) or goes out (OUTPUT)."""
        way = "-i" if chain == "INPUT" else "-o"
        self._do(*self.wrap, "iptables-legacy", "-A", chain, way, self.inner, "-j", "DROP")

    def lose(self, part):
        """Drops this part of the packets of either way."""
        for chain, way in (("INPUT", "-i"), ("OUTPUT", "-o")):
            self._do(*self.wrap, "iptables-legacy", "-A", chain, way, self.inner, "-m", "statistic",
                     "--mode", "random", "--probability", str(part), "-j", "DROP")

    def dropped(self):
        """How many packets were."""
        done = self._do(*self.wrap, "iptables-legacy", "-nvxL")
        return sum(int(line.split()[0]) for line in done.splitlines() if " DROP " in line)

    def slow(self, rate):
        """So much a second, as tc says it, each way."""
        rule = ["root", "tbf", "rate", rate, "burst", "4kb", "latency", "800ms"]
        self._do("tc", "qdisc", "add", "dev", self.outer, *rule)
        self._do(*self.wrap, "tc", "qdisc", "add", "dev", self.inner, *rule)

    def heal(self):
        self._do(*self.wrap, "iptables-legacy", "-F")
        for command in (["tc", "qdisc", "del", "dev", self.outer, "root"],
                        [*self.wrap, "tc", "qdisc", "del", "dev", self.inner, "root"]):
            subprocess.run(command, stderr=subprocess.DEVNULL, check=False)

    def close(self):
        for forwarder in self.forwarders:
            forwarder.kill()
            forwarder.wait()
        self._do("ip", "netns", "del", self.name)
        # Its pair goes with it, once the last socket has gone.
        subprocess.run(["ip", "link", "del", self.outer], stderr=subprocess.DEVNULL, check=False)

    @staticmethod
    def _do(*command):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
        return done.stdout
