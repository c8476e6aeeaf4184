package ciphermark

import chisel3.stage.{ChiselGeneratorAnnotation, ChiselStage}
import freechips.rocketchip.config.{Config, Parameters}
import freechips.rocketchip.diplomacy.LazyModule

/** Writes `top.v`: arguments are a configuration's class in this package and the folder. */
object Elaborate extends App {
  private val Array(configuration, folder) = args
  private val parameters: Parameters =
    Class.forName(s"ciphermark.$configuration").getDeclaredConstructor().newInstance().asInstanceOf[Config].toInstance
  (new ChiselStage).execute(
    Array("-X", "verilog", "--infer-rw", "--target-dir", folder),
    Seq(ChiselGeneratorAnnotation(() => LazyModule(new Machine()(parameters)).module)))
}
