import { world as aider } from './aider.mjs'
import { world as amp } from './amp.mjs'
import { world as auggie } from './auggie.mjs'
import { world as claude } from './claude.mjs'
import { world as codex } from './codex.mjs'
import { world as copilot } from './copilot.mjs'
import { world as gemini } from './gemini.mjs'
import { world as goose } from './goose.mjs'
import { world as opencode } from './opencode.mjs'

/** By the names of pins.json. @type {Record<string, (place: import('./base.mjs').Place) => import('./base.mjs').World>} */
export const worlds = { claude, goose, codex, gemini, copilot, opencode, auggie, aider, amp, 'amp-current': amp }
