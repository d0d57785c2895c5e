import type { CallView } from '../../export/call-view.ts'
import type { ToolUse } from '../api/contract.ts'
import { lazy } from './lazy.ts'

/** With its library for diffs. */
const viewer = lazy(() => import('../../export/call-view.ts'))
const views = new WeakMap<ToolUse, CallView>()
const EMPTY: CallView = { summary: '', blocks: [] }

/** The call as the exports show it: a summary line, and its details. Empty until the code is loaded. */
export function viewOf(call: ToolUse): CallView {
  const known = views.get(call)
  if (known) return known
  const view = viewer.use()?.viewCall(call.input)
  if (view) views.set(call, view)
  return view ?? EMPTY
}
