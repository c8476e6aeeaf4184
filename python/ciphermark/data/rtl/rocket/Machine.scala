package ciphermark

import chisel3._
import chisel3.experimental.IO
import freechips.rocketchip.config.{Config, Parameters}
import freechips.rocketchip.devices.debug.DebugModuleKey
import freechips.rocketchip.devices.tilelink.{CLINTKey, PLICKey}
import freechips.rocketchip.diplomacy._
import freechips.rocketchip.rocket.TracedInstruction
import freechips.rocketchip.subsystem._
import freechips.rocketchip.system.BaseConfig
import freechips.rocketchip.tile.BuildRoCC

/** One Rocket core with its caches, a memory port, a port for devices, and what the core retires.
  *
  * No boot ROM, debug module, timer or interrupts: it starts at an address of the device port, where the bench answers.
  */
class Machine(implicit p: Parameters)
    extends RocketSubsystem
    with HasHierarchicalBusTopology
    with CanHaveMasterAXI4MemPort
    with CanHaveMasterAXI4MMIOPort {
  private val traced = BundleBridgeSink[Vec[TracedInstruction]]()
  traced := rocketTiles.head.traceNode
  val trace = InModuleBody {
    val retired = IO(Output(Bool())).suggestName("retired")
    val pc = IO(Output(UInt(64.W))).suggestName("pc")
    val word = IO(Output(UInt(32.W))).suggestName("word")
    val instruction = traced.bundle.head
    retired := instruction.valid && !instruction.exception
    pc := instruction.iaddr
    word := instruction.insn
  }
  override lazy val module = new MachineModule(this)
}

class MachineModule(outer: Machine) extends RocketSubsystemModuleImp(outer) {
  override def desiredName = "top"
  global_reset_vector := "h60001000".U
}

/** The big core of rocketchip's own configurations, without the floating-point unit. */
class Rocket
    extends Config(
      new Config((_, _, _) => {
        case DebugModuleKey => None
        case CLINTKey => None
        case PLICKey => None
      }) ++
        new WithoutFPU ++ new WithoutTLMonitors ++ new WithNBigCores(1) ++ new BaseConfig)

class WithAccelerator(registered: Boolean)
    extends Config((_, _, _) => {
      case BuildRoCC =>
        List((p: Parameters) => {
          val accelerator = LazyModule(new Accelerator(registered)(p))
          accelerator
        })
    })

class RocketRocc extends Config(new WithAccelerator(registered = false) ++ new Rocket)

class RocketRocc1 extends Config(new WithAccelerator(registered = true) ++ new Rocket)

/** Rocket's own slot for instructions in its pipeline: `SCIEDecoder`, `SCIEUnpipelined` and `SCIEPipelined`. */
class RocketScie
    extends Config(
      new Config((site, _, up) => {
        case RocketTilesKey =>
          up(RocketTilesKey, site).map(tile => tile.copy(core = tile.core.copy(useSCIE = true)))
      }) ++ new Rocket)
