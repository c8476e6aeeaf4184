package ciphermark

import chisel3._
import freechips.rocketchip.config.Parameters
import freechips.rocketchip.tile.{LazyRoCC, LazyRoCCModuleImp, OpcodeSet}

/** What the accelerator computes: a combinational module in Verilog, so another operation needs no elaboration.
  *
  * `xd`: the unit knows the instruction, and `rd` is its result.
  */
class CiphermarkUnit extends BlackBox {
  val io = IO(new UnitPorts)
}

class UnitPorts extends Bundle {
  val insn = Input(UInt(32.W))
  val rs1 = Input(UInt(64.W))
  val rs2 = Input(UInt(64.W))
  val rd = Output(UInt(64.W))
  val xd = Output(Bool())
}

/** The unit behind the RoCC port, for custom-0 to custom-3.
  *
  * The core expects a result where bit 14 of the instruction is set. An instruction that the unit does not know gets
  * none: whoever reads its `rd` waits, which is found, where a wrong value might not be.
  *
  * @param registered whether the result is offered one cycle after the command, not in the same one
  */
class Accelerator(val registered: Boolean)(implicit p: Parameters)
    extends LazyRoCC(OpcodeSet.custom0 | OpcodeSet.custom1 | OpcodeSet.custom2 | OpcodeSet.custom3) {
  override lazy val module = new AcceleratorModule(this)
}

class AcceleratorModule(outer: Accelerator)(implicit p: Parameters) extends LazyRoCCModuleImp(outer) {
  private val command = io.cmd.bits
  private val unit = Module(new CiphermarkUnit)
  unit.io.insn := command.inst.asUInt
  unit.io.rs1 := command.rs1
  unit.io.rs2 := command.rs2
  private val answered = command.inst.xd && unit.io.xd

  if (outer.registered) {
    val full = RegInit(false.B)
    val rd = Reg(UInt(5.W))
    val data = Reg(UInt(64.W))
    io.cmd.ready := !full || io.resp.ready
    when(io.resp.fire()) { full := false.B }
    when(io.cmd.fire()) {
      full := answered
      rd := command.inst.rd
      data := unit.io.rd
    }
    io.resp.valid := full
    io.resp.bits.rd := rd
    io.resp.bits.data := data
    io.busy := io.cmd.valid || full
  } else {
    io.cmd.ready := io.resp.ready || !answered
    io.resp.valid := io.cmd.valid && answered
    io.resp.bits.rd := command.inst.rd
    io.resp.bits.data := unit.io.rd
    io.busy := io.cmd.valid
  }
  io.interrupt := false.B
  io.mem.req.valid := false.B
}
