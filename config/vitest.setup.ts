import fc from 'fast-check';

// CI must say the same about the same code twice; at a developer's desk every run looks somewhere new.
if (process.env.CI) fc.configureGlobal({ seed: 20_261_121 });
