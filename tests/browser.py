"""Headless Chromium, driven by hand: by chromedriver's protocol."""

import json
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
# What keeps it from looking for anything beyond this machine.
OPTIONS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run
--disable-background-networking --disable-component-update --disable-sync
--window-size=1300,1000"""
needs_chromium = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="no chromium and chromedriver on this machine"
)


class Browser:
    """A session of chromedriver, as far as these tests need one."""

    def __init__(self, port: int):
        self.session = f"http://127.0.0.1:{port}/session"
        options = {"binary": CHROMIUM, "args": OPTIONS.split()}
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}}
        self.session += f"/{self.send('', wanted)['sessionId']}"

    def send(self, path, body):
        request = urllib.request.Request(
            self.session + path,
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)["value"]

    def open(self, port, name="it"):
        """The demo's page, when it shows that operator."""
        self.send("/url", {"url": f"http://127.0.0.1:{port}/#{name}"})
        self.wait(f"document.body.dataset.ready === {name!r}")

    def evaluate(self, expression):
        return self.send(
            "/execute/sync", {"script": f"return {expression}", "args": []}
        )

    def wait(self, expression):
        limit = time.monotonic() + 30
        while not self.evaluate(expression):
            message = self.evaluate("document.getElementById('message').textContent")
            assert time.monotonic() < limit, (expression, message)
            time.sleep(0.05)

    def drag(self, selector, start, end, kind="mouse"):
        """Between two places of a plot, given as parts of its box from the left top."""
        self.evaluate(f"document.querySelector({selector!r}).scrollIntoView()")
        box = self.evaluate(
            f"""(canvas => {{
              const outer = canvas.getBoundingClientRect();
              const {{ box }} = canvas.view;
              return {{ x: outer.left + box.x, y: outer.top + box.y,
                        width: box.w, height: box.h }};
            }})(document.querySelector({selector!r}))"""
        )
        steps = [
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        for place, step in zip((start, end), (0, 2), strict=True):
            x = box["x"] + place[0] * box["width"]
            y = box["y"] + place[1] * box["height"]
            move = {"type": "pointerMove", "x": round(x), "y": round(y)}
            steps.insert(step, {**move, "duration": 100})
        pointer = {"type": "pointer", "id": kind, "actions": steps}
        pointer["parameters"] = {"pointerType": kind}
        self.send("/actions", {"actions": [pointer]})

    def press(self, *keys):
        strokes = [
            {"type": kind, "value": key}
            for key in keys
            for kind in ("keyDown", "keyUp")
        ]
        keyboard = {"type": "key", "id": "keyboard", "actions": strokes}
        self.send("/actions", {"actions": [keyboard]})

    def resize(self, width, height):
        self.send("/window/rect", {"width": width, "height": height})


def started() -> Iterator[Browser]:
    """A browser, for a fixture to yield from; it is ended behind it."""
    driver = subprocess.Popen(
        [DRIVER, "--port=0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    for line in driver.stdout:
        if "started successfully on port" in line:
            break
    opened = Browser(int(line.rstrip().rstrip(".").rpartition(" ")[2]))
    yield opened
    urllib.request.urlopen(urllib.request.Request(opened.session, method="DELETE"))
    driver.terminate()
    driver.wait()
