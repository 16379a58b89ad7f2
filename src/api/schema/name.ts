import * as z from 'zod';
import { atMost } from './characters.ts';

const MAX_CHARACTERS = 80;
const CONTROL = /\p{Cc}/u;

/** A name chosen by a user: 1 to 80 Unicode characters without control characters. */
export const Name = z
  .string()
  .trim()
  .min(1)
  .check(atMost(MAX_CHARACTERS), ({ value, issues }) => {
    if (CONTROL.test(value))
      issues.push({ code: 'custom', message: 'String should have no control characters', input: value });
  })
  .meta({ maxLength: MAX_CHARACTERS });
