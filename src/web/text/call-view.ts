import { signal } from '@preact/signals'
import type { CallView, viewCall } from '../../export/call-view.ts'
import type { ToolUse } from '../api/contract.ts'

/** Comparing texts is a library of its own, which the page fetches with the first tool call it shows. */
const viewer = signal<typeof viewCall | undefined>(undefined)
let isFetching = false

const views = new WeakMap<ToolUse, CallView>()
const NOTHING: CallView = { summary: '', blocks: [] }

/** The call as the exports show it: one line, and what is behind it. Empty for the moment until the code is here. */
export function viewOf(call: ToolUse): CallView {
  const known = views.get(call)
  if (known) return known
  if (!viewer.value) {
    if (!isFetching) fetchViewer()
    return NOTHING
  }
  const view = viewer.value(call.input)
  views.set(call, view)
  return view
}

async function fetchViewer(): Promise<void> {
  isFetching = true
  try {
    const module = await import('../../export/call-view.ts')
    viewer.value = module.viewCall
  } catch {
    // The names of the calls are there all the same; the next one asks again.
    isFetching = false
  }
}
