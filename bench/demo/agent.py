# An AI agent on a phone call, with nothing but Python and its package `websockets`. It joins the newest call and
# repeats what it hears, where yours will listen, think and speak:  AGENT_KEY=svc_… python3 bench/demo/agent.py
import asyncio
import json
import os
from contextlib import suppress
from urllib.request import Request, urlopen

import websockets

BASE = os.environ.get("BASE", "http://127.0.0.1:8080")
AGENT_KEY = os.environ.get("AGENT_KEY", "")


def newest_call():
    request = Request(f"{BASE}/api/calls", headers={"X-API-Key": AGENT_KEY})
    calls = json.load(urlopen(request, timeout=10))["calls"]
    if not calls:
        raise SystemExit("there is no call: place one with POST /api/call")
    return calls[-1]


async def repeat(call):
    """Joins a call. PCM is 16-bit mono at 16 kHz: 20 ms of everyone else come at a time, any length may be sent."""
    async with websockets.connect(f"{call['audio']['stream_url']}?api_key={AGENT_KEY}") as socket:
        await socket.send(json.dumps({"type": "audio_config", "sample_rate": 16_000, "receive": True}))
        with suppress(websockets.ConnectionClosedOK):  # the call may end while something is being sent
            async for message in socket:
                if isinstance(message, bytes):
                    await socket.send(message)  # {"type": "clear"} discards what has not been played yet
                else:
                    print(json.loads(message), flush=True)
    print("closed", socket.close_code, socket.close_reason)


asyncio.run(repeat(newest_call()))
