import fc from 'fast-check';

// CI repeats the same random cases, so that the same code gives the same result. Elsewhere every run tries new ones.
if (process.env.CI) fc.configureGlobal({ seed: 20_261_121 });
