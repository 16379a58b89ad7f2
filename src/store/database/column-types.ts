export type Bit = 0 | 1;
