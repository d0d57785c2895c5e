import type { CallView } from '../../export/call-view.ts'
import type { ToolUse } from '../api/contract.ts'
import { lazy } from './lazy.ts'

/** With its library for diffs. */
const viewer = lazy(() => import('../../export/call-view.ts'))
const views = new WeakMap<ToolUse, CallView & { readonly project: string | undefined }>()
const EMPTY: CallView = { summary: '', blocks: [] }

/**
 * The call as the exports show it: a summary line, and its details; paths are relative to the project. Empty until the code
 * is loaded.
 */
export function viewOf(call: ToolUse, project: string | undefined): CallView {
  const known = views.get(call)
  if (known && known.project === project) return known
  const view = viewer.use()?.viewCall(call.input, project)
  if (view) views.set(call, { ...view, project })
  return view ?? EMPTY
}
