/** No flag at all, which the enums of flags do not list. */
export const NO_FLAGS: number = 0;
