import type { Rule } from './rule.ts'

/** A value that looks generated: twenty characters or more, letters and digits mixed. */
const VALUE = `(?=[A-Za-z0-9+/_=-]{0,60}\\d)(?=[\\d+/_=-]{0,60}[A-Za-z])[A-Za-z0-9+/_=-]{20,500}`

const PEM_END = '-----END[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----'

/** Secrets that are recognised only by their context. */
export const contextRules: readonly Rule[] = [
  {
    id: 'private-key',
    // Up to its end line, whatever precedes each line (line numbers, diff marks); without one (the output was
    // cut), as far as it looks like base64.
    pattern: new RegExp(
      `-----BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----` +
        `(?:(?:(?!-----)[^]){0,20000}${PEM_END}|(?:(?:\\s|\\\\[nr]){0,8}[A-Za-z0-9+/=]{40,100}){1,300})`,
      'g',
    ),
  },
  {
    id: 'bearer-token',
    pattern: /(?<keep>\bBearer[ \t]{1,4})(?=[A-Za-z0-9._~+/-]{0,80}\d)[A-Za-z0-9._~+/-]{16,4000}={0,2}/gi,
    contextual: true,
  },
  {
    id: 'basic-auth',
    pattern: /(?<keep>\bAuthorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?Basic[ \t]{1,4})[A-Za-z0-9+/]{8,2000}={0,2}/gi,
    contextual: true,
  },
  {
    id: 'basic-auth',
    pattern: /(?<keep>:\/\/)[^\s:/@"'`<>[\]$]{1,100}:[^\s/@"'`<>[\]${]{3,200}(?=@)/g,
  },
  {
    id: 'npm-token',
    pattern: /(?<keep>_authToken["']?[ \t]{0,4}[=:][ \t]{0,4}["']?)[^\s$"'[]{8,400}/g,
    contextual: true,
  },
  {
    id: 'aws-secret',
    pattern: /(?<keep>(?:session|security)_?token["']?\s{0,4}[:=]\s{0,4}["']?)[A-Za-z0-9/+=]{100,3000}/gi,
    contextual: true,
  },
  {
    id: 'azure-key',
    pattern: /(?<keep>(?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/]{40,100}={0,2}/g,
    contextual: true,
  },
  {
    id: 'secret',
    pattern: new RegExp(
      `(?<keep>(?:api[_-]?key|secret|token|passw(?:or)?d|access[_-]?key)["']?[ \\t]{0,4}(?:[:=]|=>)[ \\t]{0,4}["']?)${VALUE}`,
      'gi',
    ),
    contextual: true,
  },
]
