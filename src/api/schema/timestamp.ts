import { z } from 'zod';

/** A moment in UTC, ISO 8601 with milliseconds. */
export const Timestamp = z.iso.datetime().meta({ id: 'Timestamp', example: '2026-01-31T12:00:00.000Z' });
