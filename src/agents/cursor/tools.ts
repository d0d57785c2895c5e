import { type Field, type RawValue, rawFields } from './protobuf.ts'

/** Fields of a tool call other than the tool itself: the one field that is not listed here is the tool. */
export const CALL = { hookContexts: 54, id: 57, startedMs: 59, completedMs: 60 } as const

/** Fields of every tool. */
export const TOOL = { args: 1, result: 2 } as const

export const SHELL = 1
export const SHELL_ARGS = { command: 1, folder: 2, callId: 4 } as const

/** A call too large to be part of a turn: the step as it was is in a blob. */
export const TRUNCATED = 34
export const TRUNCATED_CALL = { originalStep: 1 } as const

/** Field numbers of the kinds of a tool call. */
export const toolKinds: Readonly<Record<number, string>> = {
  1: 'shell',
  3: 'delete',
  4: 'glob',
  5: 'grep',
  8: 'read',
  9: 'update_todos',
  10: 'read_todos',
  12: 'edit',
  13: 'ls',
  14: 'read_lints',
  15: 'mcp',
  16: 'sem_search',
  17: 'create_plan',
  18: 'web_search',
  19: 'task',
  20: 'list_mcp_resources',
  21: 'read_mcp_resource',
  22: 'apply_agent_diff',
  23: 'ask_question',
  24: 'fetch',
  25: 'switch_mode',
  28: 'generate_image',
  29: 'record_screen',
  30: 'computer_use',
  31: 'write_shell_stdin',
  32: 'reflect',
  33: 'setup_vm_environment',
  34: 'truncated',
  35: 'start_grind_execution',
  36: 'start_grind_planning',
  37: 'web_fetch',
  38: 'report_bugfix_results',
  39: 'ai_attribution',
  40: 'pr_management',
  41: 'mcp_auth',
  42: 'await',
  43: 'blame_by_file_path',
  44: 'get_mcp_tools',
  45: 'report_bug',
  46: 'set_active_branch',
  48: 'communicate_update',
  49: 'send_final_summary',
  51: 'replace_env',
  52: 'edit_pr_labels',
  53: 'record_ci_investigation_findings',
  55: 'send_message',
  56: 'fetch_cloud_agent_data',
  58: 'send_to_user',
  61: 'pi_read',
  62: 'pi_bash',
  63: 'pi_edit',
  64: 'pi_write',
  65: 'pi_grep',
  66: 'pi_find',
  67: 'pi_ls',
  68: 'connect_scm',
  69: 'search_conversations',
  70: 'create_goal',
  71: 'update_goal',
  73: 'get_agent_status',
  74: 'send_to_agent',
  75: 'read_agent_transcript',
  76: 'create_agent',
  77: 'stop_agent',
  79: 'write_canvas',
  80: 'read_canvas',
  81: 'generate_video',
  82: 'x_search',
  85: 'list_tracked_tasks',
  86: 'create_tracked_tasks',
  87: 'update_tracked_tasks',
  88: 'delete_tracked_tasks',
  89: 'update_tracked_task_statuses',
  90: 'create_project',
  91: 'update_tracked_task_tags',
  93: 'stop_project_updates',
  94: 'start_project_updates',
}

/** Names of arguments by field number, for the tools of everyday work. */
const argumentNames: Readonly<Record<number, Readonly<Record<number, string>>>> = {
  3: { 1: 'path', 2: 'tool_call_id' },
  4: { 1: 'target_directory', 2: 'glob_pattern' },
  5: {
    1: 'pattern',
    2: 'path',
    3: 'glob',
    4: 'output_mode',
    5: 'context_before',
    6: 'context_after',
    7: 'context',
    8: 'case_insensitive',
    9: 'type',
    10: 'head_limit',
    11: 'multiline',
    14: 'tool_call_id',
    16: 'offset',
  },
  8: { 1: 'path', 2: 'offset', 3: 'limit', 5: 'include_line_numbers' },
  12: { 1: 'path', 6: 'stream_content' },
  13: { 1: 'path', 2: 'ignore', 3: 'tool_call_id' },
  14: { 1: 'paths' },
  16: { 1: 'query', 2: 'target_directories', 3: 'explanation' },
  17: { 1: 'plan', 3: 'overview', 4: 'name' },
  18: { 1: 'search_term', 2: 'tool_call_id' },
  19: { 1: 'description', 2: 'prompt', 4: 'model', 5: 'resume', 6: 'agent_id' },
  24: { 1: 'url', 2: 'tool_call_id' },
  25: { 1: 'target_mode_id', 2: 'explanation', 3: 'tool_call_id' },
  37: { 1: 'url', 2: 'tool_call_id' },
}

/** Arguments under their names; what has none stays under its number. The call's id is not an argument. */
export function namedArguments(kind: number, args: readonly Field[]): Record<string, RawValue> {
  const names = argumentNames[kind] ?? {}
  const named = Object.entries(rawFields(args)).map(([number, value]) => [names[Number(number)] ?? number, value])
  return Object.fromEntries(named.filter(([name]) => name !== 'tool_call_id'))
}

/** The id of a call among its arguments, in the tools that have it there. */
export function argumentId(kind: number, args: readonly Field[]): string | undefined {
  const number = Object.entries(argumentNames[kind] ?? {}).find(([, name]) => name === 'tool_call_id')?.[0]
  const id = number === undefined ? undefined : rawFields(args)[number]
  return typeof id === 'string' && id !== '' ? id : undefined
}
