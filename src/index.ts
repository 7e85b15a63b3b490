export {
  outputOf,
  toolCall,
  toolCallsOf,
  toolMessage,
  type AssistantMessage,
  type Message,
  type SystemMessage,
  type TextPart,
  type ToolCall,
  type ToolMessage,
  type ToolOutput,
  type ToolResult,
  type UserMessage,
} from './agents/message.ts'
export { runToolCalls, type ToolCallOptions, type ToolCallsInfo } from './agents/tool-calls.ts'
export { errorToMessage, tool, type Tool, type ToolInfo } from './agents/tool.ts'
export { toolsNode, type ToolsNodeOptions } from './agents/tools-node.ts'

export { channel, type Channel, type StateOf, type UpdateOf } from './graph/channel.ts'
export { Command, END, Send, START, type CommandParts } from './graph/command.ts'
export type { NodeOptions, NodeResult, StartInfo } from './graph/definition.ts'
export { asRunnable, flow, FunctionFlow, type FlowOptions } from './graph/flow.ts'
export { Graph, graph } from './graph/graph.ts'
export type { GraphOptions, PreparedOptions, SubgraphOptions } from './graph/graph-options.ts'
export type { InvokeOptions } from './graph/invoke.ts'
export type { NodeContext } from './graph/node-context.ts'
export { NodeTimeoutError } from './graph/time-limit.ts'

export {
  interrupt,
  interruptForApproval,
  interruptForChoice,
  interruptForForm,
  interruptForInput,
  type Approval,
  type ApprovalOptions,
  type InputOptions,
  type InterruptOptions,
} from './runtime/interrupt.ts'
export {
  appendAddressSegment,
  compositeInterrupt,
  getCurrentAddress,
  interruptSignal,
  statefulInterrupt,
} from './runtime/component.ts'
export { CompositeError } from './runtime/composite-error.ts'
export type { Expected, Taken } from './runtime/expected.ts'
export type { Kept, Resumption } from './runtime/resume-info.ts'
export {
  batchResumeWithData,
  getNextResumptionPoints,
  populateResumeInfo,
  resume,
  resumeWithData,
  withResumeInfo,
  type ResumeData,
} from './runtime/resume-target.ts'
export {
  getInterruptState,
  getResumeContext,
  getResumption,
  type InterruptState,
  type ResumeContext,
} from './runtime/resumption.ts'
export {
  interruptWithOptions,
  mustInterrupt,
  withDefault,
  withTimeout,
  withValidator,
  type InterruptOption,
} from './runtime/interrupt-option.ts'
export type { RetryOptions } from './runtime/retry.ts'
export {
  fromInterruptContexts,
  sameInterruptContext,
  signalToPersistenceMaps,
  toInterruptContexts,
  type ContextScope,
  type PersistenceMaps,
  type SignalContext,
} from './runtime/signal-tree.ts'
export { findSignal, InterruptSignal, isInterruptSignal } from './runtime/signal.ts'
export { InDoubtError } from './runtime/once.ts'
export { StepTimeoutError } from './runtime/step-limit.ts'
export {
  now,
  random,
  step,
  uuid,
  type StepInfo,
  type StepOptions,
  type Verification,
  type VerifyInfo,
} from './runtime/step.ts'

export { Runner } from './compose.ts'
export { Handler, type HandledRunner } from './runner/handler.ts'
export { Reviews, type Review, type ReviewStatus } from './runner/review.ts'
export { UnboundedChannel } from './runner/unbounded-channel.ts'
export type { ForkOptions } from './runner/fork.ts'
export type { ResumeOptions, RunnerOptions, RunOptions } from './runner/launcher.ts'
export { migrateCheckpoint } from './runner/migration.ts'
export type { Migrate, StoredValueKind, StoredValuePlace } from './runner/stored-value.ts'
export type { Survival } from './runner/survival.ts'
export type { PendingView, ThreadSummary } from './runner/thread-list.ts'
export type { CancelOptions, Run } from './runner/run.ts'

export {
  appendSegment,
  formatAddress,
  formatSegment,
  isDescendantOf,
  sameAddress,
  sameSegment,
  segment,
  type Address,
  type AddressSegment,
  type SegmentType,
} from './core/address.ts'
// The names other frameworks give to how waiting for a person can end.
export {
  CancelledError as ErrCanceled,
  InterruptTimeoutError as ErrTimeout,
  InvalidAnswerError as ErrInvalidResume,
  UnknownThreadError as ErrNoCheckpoint,
} from './core/errors.ts'
export { InterruptSignal as ErrInterrupted } from './runtime/signal.ts'

export type { Clock, Hash, Ids, Services } from './core/clock.ts'
export { decode, encode } from './core/codec.ts'
export type {
  AnsweredInterrupt,
  InterruptContext,
  InterruptDecision,
  InterruptHandler,
  ResumeCommand,
  RunResult,
  TaskView,
  ThreadMeta,
  StepInDoubt,
  ThreadView,
} from './core/command.ts'
export {
  type ErrorDetails,
  HexagonError,
  isHexagonError,
  DefinitionError,
  NodeError,
  StepLimitError,
  UpdateConflictError,
  UnknownNameError,
  SerializationError,
  NoScopeError,
  ReplayMismatchError,
  FencedError,
  UnknownThreadError,
  ThreadExistsError,
  ThreadClosedError,
  type Holder,
  ThreadLockedError,
  type QuestionSummary,
  UnknownInterruptError,
  AlreadyAnsweredError,
  AmbiguousAnswerError,
  type Problem,
  InvalidAnswerError,
  StaleAnswerError,
  FlowChangedError,
  InterruptTimeoutError,
  CancelledError,
  StaleVersionError,
  StaleFenceError,
  DamagedError,
  NewerFormatError,
  SealedError,
  type SealFault,
  StoreWriteError,
  NoStoreError,
} from './core/errors.ts'
export type { ErrorRecord, RunEvent, RunEventBody, RunStatus } from './core/event.ts'
export { isFlow, type EdgeShape, type Flow, type FlowShape, type NodeShape } from './core/flow.ts'
export type {
  AnswerSource,
  AnswerVia,
  ChangedQuestion,
  Choice,
  Interrupt,
  InterruptKind,
} from './core/interrupt.ts'
export type { Infer, Schema } from './core/schema.ts'
export type {
  JsonText,
  StoredStatus,
  WakeRule,
  ThreadHead,
  Lease,
  InterruptRow,
  NewInterrupt,
  StoredAnswer,
  StoredEvent,
  StoredThread,
  Claimant,
  NewThread,
  Commit,
  Committed,
  AnswerRequest,
  Claimed,
  Page,
  Damage,
  PendingThread,
  PendingQuery,
  ThreadQuery,
  CheckpointInfo,
  Pruned,
  StoreCapabilities,
  Store,
} from './core/store.ts'
export { registerType, type TypeCodec } from './core/value-type.ts'
