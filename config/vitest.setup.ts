import { setPriority } from 'node:os';
import fc from 'fast-check';

// CI must say the same about the same code twice; at a developer's desk every run looks somewhere new.
if (process.env.CI) fc.configureGlobal({ seed: 20_261_121 });

// Sound is judged in real time: tests, and the gateways that they start, come before the other programs of a busy
// machine. Only root may do that; without it they share the processors like everybody else.
try {
  setPriority(-10);
} catch {}
