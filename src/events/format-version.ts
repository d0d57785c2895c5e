/** Version of the canonical log. Not in schema.ts, which takes time to load. */
export const FORMAT_VERSION = 1
