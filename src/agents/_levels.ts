// Written by npm run generate from docs/proof.json.
import type { Measured } from './level.ts'

export const levels: Readonly<Record<string, Measured>> = {}
