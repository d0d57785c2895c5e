/** Version of the canonical log. Apart from the schemas, since those cost time to load and this number does not. */
export const FORMAT_VERSION = 1
