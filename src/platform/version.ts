/** Set by the build from package.json; `0.0.0-source` without a build. */
declare const __ION_VERSION__: string | undefined

export const version: string = typeof __ION_VERSION__ === 'string' ? __ION_VERSION__ : '0.0.0-source'
