import { carryOut, type HandoverRequest, planHandover } from '../../../handover/hand-over.ts'
import { type KnownHandover, knownHandovers } from '../../../handover/ledger.ts'
import { undoHandover } from '../../../handover/undo.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { localTime } from '../../../platform/local-time.ts'
import { plain } from '../../../platform/plain-text.ts'
import type { Context, OptionsOf, Run } from '../../command.ts'
import type { handover } from '../../definitions/running.ts'
import { refuseOtherOptions } from '../../subcommand-options.ts'
import { reportJson, reportText } from './report-text.ts'
import { locate, requestOf } from './request.ts'

export const run: Run<typeof handover> = async ([reference, copy], options, context) => {
  if (reference === 'list' && copy === undefined) return list(options, context)
  if (reference === 'undo') return undo(copy, options, context)
  if (copy !== undefined) {
    throw new IonError('usage', `"${copy}" is one argument too many`, {
      hint: `ion handover ${reference} --in <agent>`,
    })
  }
  if (options.in === undefined) {
    throw new IonError('usage', 'which agent is to continue?', {
      hint: `ion handover ${reference} --in <agent>; ion agents lists them`,
    })
  }
  const source = await locate(reference, context)
  return handOver(await requestOf(source, options.in, options, context), options, context)
}

/** Writes the session and prints the report. */
export function handOver(
  request: HandoverRequest,
  { dryRun, json }: { readonly dryRun: boolean; readonly json: boolean },
  { io, out }: Context,
): ExitKind {
  const plan = planHandover(request, io)
  if (!plan.written && !dryRun) {
    out.write(
      json ? `${toJsonText({ ...reportJson(plan, undefined), brief: plan.brief })}\n` : `${plain(plan.brief!)}\n`,
    )
    return 'ok'
  }
  const over = dryRun ? undefined : carryOut(plan, io)
  out.write(json ? `${toJsonText(reportJson(plan, over))}\n` : reportText(plan, over, io))
  return 'ok'
}

function undo(reference: string | undefined, options: OptionsOf<typeof handover>, { io, out }: Context): ExitKind {
  refuseOtherOptions('handover undo', options, ['json'])
  if (reference === undefined) {
    throw new IonError('usage', 'which handover is to be undone?', { hint: 'ion handover list shows all' })
  }
  const { handover: done, removed } = undoHandover(reference, io)
  if (options.json) out.write(`${toJsonText({ id: done.target.id, agent: done.target.agent, removed })}\n`)
  else if (removed.length === 0) out.write(`session ${done.target.id} was gone already\n`)
  else out.write(plain(`removed session ${done.target.id} from ${removed.join(', ')}\n`))
  return 'ok'
}

function list(options: OptionsOf<typeof handover>, { io, out }: Context): ExitKind {
  refuseOtherOptions('handover list', options, ['json'])
  const all = knownHandovers(io)
  for (const one of all) out.write(options.json ? `${toJsonText(listed(one))}\n` : `${plain(lineOf(one))}\n`)
  if (all.length === 0 && !options.json) out.write('nothing was handed over yet\n')
  return 'ok'
}

function listed({ at, source, target, mode, hashes }: KnownHandover) {
  return { at, source, target, mode, complete: hashes !== undefined }
}

function lineOf({ at, source, target, mode, hashes }: KnownHandover): string {
  const from = `${source.id.slice(0, 8)} of ${source.agent}`
  const state = hashes ? '' : '  (interrupted: run it again to complete it)'
  return `${localTime(at)}  ${from}  ->  ${target.id.slice(0, 8)} of ${target.agent}  ${mode}${state}`
}
